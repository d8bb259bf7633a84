# A machine that runs systemd as PID 1, from files in memory. Usage: unshare --mount bash systemd-machine.sh FOLDER NODE CHECKOUT
#
# It prints its PID 1 when it has booted, and ends when its stdin ends. It cannot reach this machine: its root is a tmpfs,
# of which /usr, Node.js and the checkout are read-only parts, its PIDs, network, IPC, host name and control groups are its
# own, and its root user is a user without rights here.
set -euo pipefail
readonly FIRST_ID=1879048192 ID_COUNT=65536

# Inside: root of the new user namespace, before PID 1.
if [ "$1" = init ]; then
  read -r _ outside _ </proc/self/uid_map
  [ "$outside" = "$FIRST_ID" ]
  mount -t proc proc /proc
  mount -t cgroup2 cgroup /sys/fs/cgroup
  mount -t tmpfs -o mode=0755 run /run
  mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 pts /dev/pts
  hostname machine
  # Within this namespace alone: systemd mounts credentials in one of its own, from where they must get here.
  mount --make-rshared /
  exec env -i container=test PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
    /lib/systemd/systemd --unit=booted.service --log-target=journal --show-status=no </dev/null >/dev/null 2>&1
fi

folder=$1 node=$2 checkout=$3 script=$(readlink -f "$0")
# Nothing of this is for the mount namespace of this machine.
[ "$(readlink /proc/self/ns/mnt)" != "$(readlink "/proc/$PPID/ns/mnt")" ]
mount -t tmpfs -o mode=0755 machine "$folder"
cd "$folder"

read_only() {
  mount --bind "$1" "$2"
  mount -o remount,bind,ro "$2"
}

write_system() {
  mkdir -p etc/systemd/system home proc root run sys tmp usr var/lib var/tmp
  chmod 1777 tmp var/tmp
  ln -s usr/bin usr/sbin usr/lib usr/lib64 .
  ln -s ../run var/run
  cp "$script" etc/machine.sh
  cp /etc/ld.so.cache /etc/login.defs etc
  od -An -tx1 -N16 /dev/urandom | tr -d ' \n' >etc/machine-id
  echo 'root:x:0:0:root:/root:/bin/sh' >etc/passwd
  echo 'root:x:0:' >etc/group
  touch etc/shadow etc/gshadow
  mkfifo var/booted
  chown -R "$FIRST_ID:$FIRST_ID" .
}

# Programs, calctl as npm installs it, and what sudo does for root.
install_programs() {
  read_only /usr usr
  mount -t tmpfs -o mode=0755 local usr/local
  mkdir -p usr/local/bin usr/local/lib/node_modules/calctl
  touch usr/local/bin/node
  read_only "$node" usr/local/bin/node
  read_only "$checkout" usr/local/lib/node_modules/calctl
  ln -s ../lib/node_modules/calctl/dist/calctl.js usr/local/bin/calctl
  cat >usr/local/bin/sudo <<'END'
#!/bin/sh
[ "$1" = -u ] || exec "$@"
user=$2 && shift 2
exec setpriv --reuid="$user" --regid="$user" --clear-groups env -i PATH="$PATH" HOME="/home/$user" "$@"
END
  chmod +x usr/local/bin/sudo
}

# The units of a system that has nothing but a journal: none that mounts, cleans or configures anything.
install_units() {
  local units=usr/lib/systemd/system
  mount -t tmpfs -o mode=0755 units "$units"
  cp /lib/systemd/system/{basic,multi-user,shutdown,sockets,sysinit,umount}.target "$units"
  cp /lib/systemd/system/systemd-journald{.service,.socket,-dev-log.socket} "$units"
  mkdir "$units"/{sysinit,sockets}.target.wants
  ln -s ../systemd-journald.service "$units/sysinit.target.wants"
  ln -s ../systemd-journald{,-dev-log}.socket "$units/sockets.target.wants"
  cat >"$units/booted.service" <<'END'
[Unit]
Wants=multi-user.target
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c "echo booted >/var/booted"
END
}

make_devices() {
  local name
  mount -t tmpfs -o mode=0755 devices dev
  for name in null zero full random urandom tty; do
    touch "dev/$name"
    mount --bind "/dev/$name" "dev/$name"
  done
  mkdir -m 1777 dev/shm
  mkdir dev/pts
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  ln -s /run/systemd/journal/dev-log dev/log
}

in_control_groups() {
  mount -t cgroup2 cgroups cgroups
  "$@"
  umount cgroups
}

create_control_group() {
  mkdir "cgroups/$group"
  chown "$FIRST_ID:$FIRST_ID" "cgroups/$group" "cgroups/$group"/cgroup.{procs,subtree_control,threads}
  echo $$ >"cgroups/$group/cgroup.procs"
}

# Ends all that was started.
remove_control_group() {
  echo $$ >cgroups/cgroup.procs
  echo 1 >"cgroups/$group/cgroup.kill"
  until grep -q 'populated 0' "cgroups/$group/cgroup.events"; do :; done
  find "cgroups/$group" -depth -type d -exec rmdir {} +
}

mkdir dev cgroups old
write_system
install_programs
install_units
make_devices
mount --bind /proc proc
mount -t tmpfs -o mode=0755 system sys
mkdir -p sys/fs/cgroup
group=calctl-machine-$$
in_control_groups create_control_group

pivot_root . old
cd /
umount -l old

trap 'in_control_groups remove_control_group' EXIT

# A user namespace takes its ids from a process that is in it.
unshare --user sleep infinity </dev/null >/dev/null 2>&1 &
holder=$!
until [ "$(readlink /proc/$holder/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do :; done
echo "0 $FIRST_ID $ID_COUNT" >/proc/$holder/uid_map
echo "0 $FIRST_ID $ID_COUNT" >/proc/$holder/gid_map
nsenter --user --target "$holder" \
  unshare --fork --kill-child --pid --mount --uts --ipc --net --cgroup bash /etc/machine.sh init </dev/null &
outer=$!
exec 3<>/var/booted
read -r -t 15 _ <&3
init=$(<"/proc/$outer/task/$outer/children")
echo "$init"
while read -r _; do :; done

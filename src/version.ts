/** The build puts the version of package.json here; sources that run unbundled have none. */
declare const __CALCTL_VERSION__: string | undefined;

export const VERSION = typeof __CALCTL_VERSION__ === "undefined" ? "0.0.0-dev" : __CALCTL_VERSION__;

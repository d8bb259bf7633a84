// One GET with Node's own client: `node get.cjs URL TOKEN`.
const [url, token] = process.argv.slice(2);
const { get } = url.startsWith("https:") ? require("node:https") : require("node:http");
get(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, (response) =>
  response.pipe(process.stdout),
);

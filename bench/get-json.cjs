// One GET with Node's own client, parsed, and printed as calctl prints JSON: `node get-json.cjs URL TOKEN`.
const [url, token] = process.argv.slice(2);
require("node:http").get(
  url,
  { agent: false, headers: { authorization: `Bearer ${token}` } },
  async (response) => {
    const chunks = [];
    for await (const chunk of response) chunks.push(chunk);
    process.stdout.write(JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()).data, null, 2));
  },
);

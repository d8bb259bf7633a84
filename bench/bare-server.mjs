// A bare node:http handler that sends the bytes of stdin's JSON, `[status, headers, body]`, to every request.
import { createServer } from "node:http";

let text = "";
for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
const [status, headers, body] = JSON.parse(text);
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(status, headers);
  response.end(body);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

// An editor made with the TypeScript library of the Agent Client Protocol: `node sdk_editor.mjs MODULES PROGRAM WORDS…`.
//
// It starts PROGRAM as its agent. What it does is said on standard input, and what comes of it on standard output, as the
// protocol's own messages: each goes through the library on its way, both ways. Beside that, every message of the agent is
// looked at as it is on the wire: the library's schema of what is settled must take it, and the one that has drafts too must
// keep all that it says. Where one of them does not, a message `fault` tells it.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const [modules, program, ...words] = process.argv.slice(2);
const library = join(modules, "@agentclientprotocol", "sdk", "dist", "v1");
const acp = await import(pathToFileURL(join(library, "stable", "acp.js")));
const settled = await import(pathToFileURL(join(library, "schema", "zod.gen.js")));
const drafts = await import(pathToFileURL(join(library, "unstable", "schema", "zod.gen.js")));

const told = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const fault = (what, value) => told({ method: "fault", params: `${what}: ${JSON.stringify(value)}`.slice(0, 2_000) });

// By method: the schema of what the agent asks or tells, and of what it answers.
const ASKED = {
  "session/request_permission": "zRequestPermissionRequest",
  "fs/read_text_file": "zReadTextFileRequest",
  "elicitation/create": "zCreateElicitationRequest",
};
const TOLD = {
  "session/update": "zSessionNotification",
  "$/cancel_request": "zCancelRequestNotification",
};
const ANSWERED = {
  initialize: "zInitializeResponse",
  authenticate: "zAuthenticateResponse",
  "session/new": "zNewSessionResponse",
  "session/load": "zLoadSessionResponse",
  "session/list": "zListSessionsResponse",
  "session/prompt": "zPromptResponse",
  "session/set_mode": "zSetSessionModeResponse",
  "session/set_config_option": "zSetSessionConfigOptionResponse",
};

// `env_var` was a draft that editors know and that the schema has no more: it reads such a way to sign in as the agent's own.
const DRAFT = ["type", "vars"];

// Whether all that was said is still there once the schema has read it: it leaves out what it does not know.
function kept(said, read) {
  if (Array.isArray(said)) return Array.isArray(read) && said.length === read.length && said.every((one, i) => kept(one, read[i]));
  if (said === null || typeof said !== "object") return isDeepStrictEqual(said, read) || (said === null && read === undefined);
  return read !== null && typeof read === "object" && Object.keys(said).every(
    (name) => kept(said[name], read[name]) || (said.type === "env_var" && DRAFT.includes(name)),
  );
}

function look(name, what, value) {
  if (name === undefined) return fault(`${what} is not of the protocol`, value);
  const [read, whole] = [settled, drafts].map((schemas) => schemas[name].safeParse(value));
  if (!read.success || !whole.success) fault(`${what}: ${(read.error ?? whole.error).message}`, value);
  else if (!kept(value, whole.data)) fault(`${what} says more than the schema keeps: ${JSON.stringify(whole.data)}`, value);
}

const methods = new Map();

function looked(message) {
  if (message.jsonrpc !== "2.0") fault("not JSON-RPC 2.0", message);
  if (message.method !== undefined) look((message.id === undefined ? TOLD : ASKED)[message.method], message.method, message.params);
  else if (message.error !== undefined) look("zError", "error", message.error);
  else look(ANSWERED[methods.get(message.id)], `answer to ${methods.get(message.id)}`, message.result);
}

const agent = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
const [toLibrary, toLines] = Readable.toWeb(agent.stdout).tee();
createInterface({ input: Readable.fromWeb(toLines), crlfDelay: Infinity }).on("line", (line) => looked(JSON.parse(line)));

const sent = new TransformStream({
  transform(bytes, controller) {
    for (const line of new TextDecoder().decode(bytes).split("\n").filter(Boolean)) {
      const message = JSON.parse(line);
      if (message.method !== undefined && message.id !== undefined) methods.set(message.id, message.method);
    }
    controller.enqueue(bytes);
  },
});
sent.readable.pipeTo(Writable.toWeb(agent.stdin)).catch(() => {});

// What the agent asks is put to whoever drives this program.
const waiting = new Map();
let asked = 0;
const app = acp.client({ name: "sdk-editor" });
for (const method of Object.keys(ASKED)) {
  app.onRequest(method, ({ params, signal }) => {
    const id = `asked-${(asked += 1)}`;
    signal.addEventListener("abort", () => told({ method: "$/cancel_request", params: { requestId: id } }));
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      told({ id, method, params });
    });
  });
}
app.onNotification("session/update", ({ params }) => told({ method: "session/update", params }));
const connection = app.connect(acp.ndJsonStream(sent.writable, toLibrary));

async function request({ id, method, params }) {
  try {
    told({ id, result: await connection.agent.request(method, params) });
  } catch (error) {
    told({ id, error: { code: error.code ?? 0, message: error.message, data: error.data } });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    const { resolve, reject } = waiting.get(message.id);
    if (message.error === undefined) resolve(message.result);
    else reject(new acp.RequestError(message.error.code, message.error.message));
  } else if (message.id === undefined) await connection.agent.notify(message.method, message.params);
  else request(message);
}
connection.close();
agent.stdin.end();
agent.on("exit", (status) => process.exit(status ?? 1));

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type DocumentOperation, OpenApi } from '../../conformance/openapi/document.ts';
import { asObject } from '../../conformance/shared/json.ts';
import { memoryOf } from '../shared/process-files.ts';
import { type Bed, type Role, startBed } from './bed.ts';
import { Objects } from './objects.ts';
import { type Probe, probesOf } from './probes.ts';
import { Schemas } from './schemas.ts';
import { unitOfWork, workOf } from './work.ts';

/*
 * Sends hostile input from every role to every operation of the OpenAPI document; new routes are included automatically. Checks what a
 * request costs the gateway: event loop time, bytes and memory.
 */

setDefaultTimeout(300_000);

/** The most event loop time for one request, as a multiple of `unitOfWork`. */
const MOST_WORK = 60;
/** An expensive request is sent again: a garbage collection is a one-time cost, hostile input costs each time. */
const TRIES = 3;
const MOST_ERROR_BYTES = 16 * 1024;
const MOST_ANSWER_BYTES = 2 * 1024 * 1024;
const MOST_MEMORY_GROWTH = 768 * 1024 * 1024;
/** Only ends a test that would hang. */
const LONGEST_MS = 300_000;
const MOST_SHOWN = 60;
/** Stack traces, source paths and database errors, which no response may contain. */
const INNARDS = /\n\s+at |node_modules|\/src\/[a-z]+\/|\.ts:\d|SQLITE_|ZodError/;

let bed: Bed;
let api: OpenApi;
let schemas: Schemas;
let objects: Objects;
let unit: number;
let memoryAtFirst: number;
let dearest = { work: 0, about: '' };

beforeAll(async () => {
  unit = unitOfWork();
  bed = await startBed();
  api = new OpenApi(asObject(await (await fetch(`${bed.serving.origin}/openapi.json`)).json()));
  schemas = new Schemas(api.document);
  objects = new Objects(bed, api, schemas);
  memoryAtFirst = memoryOf(bed.serving.pid).now;
});
afterAll(() => bed?.stop());

interface Given {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
  readonly bytes: number;
}

async function send(operation: DocumentOperation, { query, body }: Probe, role: Role, path: string): Promise<Given> {
  const { method } = operation;
  const response = await fetch(`${bed.serving.origin}${path}${query}`, {
    method: method.toUpperCase(),
    redirect: 'manual',
    signal: AbortSignal.timeout(LONGEST_MS),
    headers: {
      origin: bed.serving.origin,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...role.headers(),
    },
    ...(body !== undefined && { body }),
  });
  const contentType = response.headers.get('content-type');
  // Event streams last until the client leaves.
  if (method === 'get' && contentType?.startsWith('text/event-stream') === true) {
    await response.body?.cancel();
    return { status: response.status, contentType, text: '', bytes: 0 };
  }
  const bytes = await response.bytes();
  return { status: response.status, contentType, text: new TextDecoder().decode(bytes), bytes: bytes.length };
}

/** Sends a request and resolves to the problems of its response, one sentence each. */
async function problemsOf(operation: DocumentOperation, probe: Probe, role: Role, path: string): Promise<string[]> {
  const { pid } = bed.serving;
  let work = Number.POSITIVE_INFINITY;
  let given: Given | null = null;
  for (let tries = 0; tries < TRIES && work > MOST_WORK * unit; tries++) {
    const before = workOf(pid);
    const again = await send(operation, probe, role, path);
    given ??= again;
    work = Math.min(work, workOf(pid) - before);
  }
  if (given === null) throw new Error('nothing was sent');
  if (operation.method !== 'get' && given.status < 400) objects.forget();
  const name = `${operation.method} ${path}, ${role.name}, ${probe.about}`;
  if (work > dearest.work) dearest = { work, about: `${name}: ${given.status}, ${given.bytes} bytes` };
  const problems: string[] = [];
  if (work > MOST_WORK * unit) problems.push(`works for ${(work / unit).toFixed(1)} units`);
  const isError = given.status >= 400;
  if (given.bytes > (isError ? MOST_ERROR_BYTES : MOST_ANSWER_BYTES)) problems.push(`answers ${given.bytes} bytes`);
  if (given.status === 500) problems.push(`answers 500: ${given.text.slice(0, 300)}`);
  if (isError && INNARDS.test(given.text)) problems.push(`shows its innards: ${given.text.slice(0, 300)}`);
  return [...problems, ...api.problemsOf(operation, given)].map((problem) => `${name}: ${problem}`);
}

/** Returns the path with ids of existing objects, or unknown ids if there are none. */
async function pathOf({ path, pathExamples }: DocumentOperation): Promise<string> {
  const list = path.slice(0, Math.max(0, path.indexOf('/{')));
  const id = path.startsWith('/v1/management') ? await objects.idIn(list) : null;
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(name === 'id' && id !== null ? id : (pathExamples[name] ?? 'none')),
  );
}

/** Whether the caller has any access to the operation, so that its input is read. */
function isOpenTo({ tag, path }: DocumentOperation, { name }: Role): boolean {
  if (tag === 'Management: Sign-in') return name === 'owner' || name === 'nobody';
  if (path.startsWith('/v1/management')) return name === 'operator' || name === 'owner';
  return name === 'a key';
}

const ORDER = ['get', 'post', 'patch', 'put', 'delete'];

/** Sorts operations that delete objects towards the end, and the settings, which may change anything, to the very end. */
function inOrder(operations: readonly DocumentOperation[]): readonly DocumentOperation[] {
  const rank = ({ method, path }: DocumentOperation) =>
    path.endsWith('/settings') && method !== 'get' ? ORDER.length : ORDER.indexOf(method);
  return [...operations].sort((one, other) => rank(one) - rank(other));
}

describe('a gateway with objects of the largest accepted size', () => {
  test('has objects in every list that the document has examples for', async () => {
    const made = await objects.fill();
    expect(new Set(made)).toContain('/v1/management/keys');
    expect(new Set(made).size).toBeGreaterThanOrEqual(5);
  });

  test.each(['nobody', 'a key', 'a token of few scopes', 'member', 'viewer', 'owner', 'operator'])(
    'responds to %s at every route with little work, few bytes and the right envelope',
    async (name) => {
      const role = bed.roles.find((one) => one.name === name) ?? expect.unreachable();
      const problems: string[] = [];
      for (const operation of inOrder(api.operations)) {
        const path = await pathOf(operation);
        for (const probe of probesOf(operation, schemas, isOpenTo(operation, role))) {
          problems.push(...(await problemsOf(operation, probe, role, path)));
        }
        if (role.person !== null && !(await role.person.isSignedIn())) await role.person.signIn();
      }
      expect({ count: problems.length, first: problems.slice(0, MOST_SHOWN) }).toEqual({ count: 0, first: [] });
    },
  );

  test('does not retain memory after the requests', () => {
    const { most } = memoryOf(bed.serving.pid);
    expect(most - memoryAtFirst).toBeLessThan(MOST_MEMORY_GROWTH);
    console.info(`most work ${(dearest.work / unit).toFixed(1)} units: ${dearest.about}`);
  });
});

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../../../domain/failure/failure.ts';
import type { FormRules, UploadedForm } from '../../../../domain/media/uploaded-file.ts';
import { BodyBudget, BodyLease } from '../../body-budget.ts';
import type { Connections } from '../../route.ts';
import { Uploads } from '../../uploads.ts';
import { formBody } from '../../whole-body.ts';
import { UploadFolder } from '../upload-folder.ts';

export const RULES: FormRules = {
  files: {
    file: { maxBytes: 25_000_000, maxCount: 1 },
    image: { maxBytes: 300_000, maxCount: 3 },
    mask: { maxBytes: 1_000, maxCount: 1 },
  },
  lists: ['timestamp_granularities[]'],
  texts: ['prompt'],
};

export interface Told {
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly files: Readonly<
    Record<string, readonly { name: string; type: string | null; size: number; hash: string }[]>
  >;
}

/** Starts a server that reads forms as the gateway does, and reports what it has read. */
export async function startFormServer(options: { readonly totalBytes?: number; readonly rules?: FormRules } = {}) {
  const path = await mkdtemp(join(tmpdir(), 'forms-'));
  const errors: object[] = [];
  const logger = { ...{ debug() {}, info() {}, warn() {} }, error: (fields: object) => void errors.push(fields) };
  const folder = new UploadFolder({ path: join(path, 'uploads'), totalBytes: options.totalBytes ?? 2 ** 33, logger });
  const budget = new BodyBudget(1280 * 1024 * 1024, 50 * 1024 * 1024);
  const clock = { nowMs: 0 };
  const uploads = new Uploads(() => clock.nowMs);
  const failures: Failure[] = [];
  const requests = { begun: 0 };
  const server = Bun.serve({
    port: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request, bun) {
      requests.begun++;
      const lease = new BodyLease(budget);
      try {
        const connections: Connections = {
          timeout: (_, seconds) => bun.timeout(request, seconds),
          requestIP: () => null,
          upgrade: () => false,
        };
        const read = formBody({ request, connections, lease, uploads, uploadFolder: folder });
        const form = await read(request.headers.get('x-account') ?? 'acme', options.rules ?? RULES);
        if (form instanceof Failure) {
          failures.push(form);
          const { code, message, kind } = form;
          return Response.json({ code, message, kind, param: form.details.param ?? null }, { status: form.status });
        }
        return await tell(form);
      } finally {
        lease.end();
      }
    },
  });
  return {
    server,
    folder,
    budget,
    /** Advances the clock; ends uploads that are too slow. */
    pass: (ms: number) => {
      uploads.look();
      clock.nowMs += ms;
      uploads.look();
    },
    requests,
    failures,
    errors,
    /** Resolves to the names of the files that are left on disk. */
    left: async () => {
      const found = await readdir(join(path, 'uploads'), { recursive: true, withFileTypes: true }).catch(() => []);
      return found.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    close: async () => {
      await server.stop(true);
      folder.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function tell(form: UploadedForm): Promise<Response> {
  try {
    const files: Record<string, object[]> = {};
    for (const [name, ofName] of form.files) {
      files[name] = await Promise.all(
        ofName.map(async (file) => {
          const hash = createHash('sha256');
          for await (const piece of file.stream()) hash.update(piece);
          return { name: file.name, type: file.declaredType, size: file.size, hash: hash.digest('hex') };
        }),
      );
    }
    return Response.json({ fields: Object.fromEntries(form.fields), files });
  } finally {
    form.remove();
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

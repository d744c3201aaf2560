import type { Principal } from '../../domain/access/principal.ts';
import { FILE_PURPOSES, type StoredFile } from '../../domain/batches/stored-file.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { FormRules, UploadedFile, UploadedForm } from '../../domain/media/uploaded-file.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileQuery, FileStore, StoredAmount } from '../ports/file-store.ts';
import type { RelayedCall } from '../relay/relayed-call.ts';
import type { FileSettings } from '../settings/settings.ts';
import { FileStream, fileGone } from './file-reader.ts';
import { FileWriter, UPLOAD_MS } from './file-writer.ts';
import { type PageQuery, pageQuery, unknownPlace, wrong } from './page-query.ts';
import type { ServedAnswer, ServedApi } from './served-apis.ts';

/** OpenAI's bounds for `expires_after[seconds]`: an hour to 30 days. */
const EXPIRES = { least: 3_600, most: 2_592_000 };
/** OpenAI allows 10,000 per page; the gateway returns fewer and says that there are more. */
const PAGE = { usual: 10_000, most: 10_000, longest: 1_000 };
const TEXTS = ['purpose', 'expires_after[anchor]', 'expires_after[seconds]'];

export interface AccountFilesPorts {
  readonly files: FileStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly settings: FileSettings;
  /** Returns `file-` followed by random letters and digits. */
  readonly newFileId: () => string;
}

/** Serves OpenAI's `/v1/files` for the files of batches. */
export class AccountFiles implements ServedApi {
  constructor(private readonly ports: AccountFilesPorts) {}

  async has(id: string, accountId: string): Promise<boolean> {
    return (await this.ports.files.find(id, accountId)) !== null;
  }

  async answer(call: RelayedCall, principal: Principal): Promise<ServedAnswer | Failure> {
    const [, id = '', part = '', ...rest] = call.tail.split('/');
    if (rest.length > 0 || (part !== '' && part !== 'content')) return noSuchPath(call);
    if (id === '') {
      if (call.method === 'POST') return this.upload(call, principal);
      return call.method === 'GET' ? this.list(call.query, principal) : noSuchPath(call);
    }
    const file = await this.find(id, principal.account.id);
    if (file === null) return fileGone();
    if (part === 'content') return call.method === 'GET' ? this.content(file) : noSuchPath(call);
    if (call.method === 'DELETE') return this.delete(file);
    return call.method === 'GET' ? { body: JSON.stringify(fileView(file)) } : noSuchPath(call);
  }

  /** Finds a whole file that has not expired. */
  async find(id: string, accountId: string): Promise<StoredFile | null> {
    const file = await this.ports.files.find(id, accountId);
    return file === null || isOver(file, this.ports.clock.nowMs()) ? null : file;
  }

  private content(file: StoredFile): ServedAnswer {
    return {
      body: new FileStream(this.ports.files, file),
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(file.bytes),
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
      },
    };
  }

  private async delete({ id, accountId }: StoredFile): Promise<ServedAnswer> {
    await this.ports.files.delete(id, accountId);
    return { body: JSON.stringify({ id, object: 'file', deleted: true }) };
  }

  private async list(query: URLSearchParams, { account }: Principal): Promise<ServedAnswer | Failure> {
    const page = pageQuery(query, PAGE);
    if (page instanceof Failure) return page;
    const asked = query.get('purpose');
    const purpose = FILE_PURPOSES.find((known) => known === asked);
    // OpenAI's clients may list purposes of which the gateway has no files.
    if (asked !== null && asked !== '' && purpose === undefined) return { body: listView([], false) };
    const filters = { accountId: account.id, ...(purpose !== undefined && { purpose }) };
    const found = await this.page(filters, page);
    return found instanceof Failure ? found : { body: listView(found.slice(0, page.limit), found.length > page.limit) };
  }

  /** Resolves to one file more than the page has, if there are more. */
  private async page(
    filters: Omit<FileQuery, 'readableAtMs'>,
    { limit, after, isAscending }: PageQuery,
  ): Promise<readonly StoredFile[] | Failure> {
    const { files, clock } = this.ports;
    const last = after === null ? null : await files.find(after, filters.accountId ?? null);
    if (after !== null && last === null) return unknownPlace('after', after);
    const place = last === null ? {} : { after: last };
    return files.list({ ...filters, ...place, isAscending, readableAtMs: clock.nowMs() }, limit + 1);
  }

  private async upload(call: RelayedCall, principal: Principal): Promise<ServedAnswer | Failure> {
    const { settings, files } = this.ports;
    const accountId = principal.account.id;
    const full = await this.fullness(accountId, 0);
    if (full !== null) return full;
    const form = await call.readForm(accountId, rulesOf(settings));
    if (form instanceof Failure) return form;
    try {
      const wanted = this.wanted(form);
      if (wanted instanceof Failure) return wanted;
      const file = this.newFile(principal, wanted.file);
      const most = { files: settings.maxFiles, bytes: settings.maxBytes };
      if (!(await files.createWithin(file, most))) return quotaFailure(await files.amountOf(accountId), settings);
      return await this.write(file, wanted);
    } finally {
      form.remove();
    }
  }

  private async write(file: StoredFile, { file: sent, keepMs }: WantedFile): Promise<ServedAnswer | Failure> {
    const { files } = this.ports;
    const writer = new FileWriter(files, file.id);
    try {
      for await (const piece of sent.stream()) if (!(await writer.write(piece))) return fileGone();
      const expiresAtMs = file.createdAtMs + keepMs;
      if (!(await writer.finish(expiresAtMs))) return fileGone();
      return { body: JSON.stringify(fileView({ ...file, expiresAtMs })) };
    } catch (error) {
      await files.delete(file.id, file.accountId).catch(() => false);
      throw error;
    }
  }

  private newFile({ account, credential }: Principal, { name, size }: UploadedFile): StoredFile {
    const createdAtMs = Math.floor(this.ports.clock.nowMs());
    return {
      id: this.ports.newFileId(),
      accountId: account.id,
      keyId: credential.id,
      purpose: 'batch',
      name,
      bytes: size,
      createdAtMs,
      expiresAtMs: createdAtMs + UPLOAD_MS,
      isWhole: false,
    };
  }

  private wanted({ fields, files }: UploadedForm): WantedFile | Failure {
    const [purpose = null] = fields.get('purpose') ?? [];
    if (purpose !== 'batch') {
      const what = purpose === null ? 'is missing; it' : `is \`${purpose.slice(0, 50)}\`, but`;
      return new Failure('invalid_value', {
        message: `\`purpose\` ${what} must be \`batch\`: the gateway keeps files for batches only.`,
        param: 'purpose',
        hint: 'Files for other purposes are passed through to a channel with your own key for a provider that has them.',
      });
    }
    const [file] = files.get('file') ?? [];
    if (file === undefined) return wrong('file', 'is missing; send the file as a part of this name');
    if (file.size === 0) return wrong('file', 'is empty');
    const keepMs = this.keepMs(fields);
    return keepMs instanceof Failure ? keepMs : { file, keepMs };
  }

  private keepMs(fields: UploadedForm['fields']): number | Failure {
    const [anchor = null] = fields.get('expires_after[anchor]') ?? [];
    const [seconds = null] = fields.get('expires_after[seconds]') ?? [];
    const { keepMs } = this.ports.settings;
    if (anchor === null && seconds === null) return keepMs;
    if (anchor !== 'created_at') return wrong('expires_after[anchor]', 'must be `created_at`');
    const { least, most } = EXPIRES;
    if (seconds === null || !/^\d{1,9}$/.test(seconds) || Number(seconds) < least || Number(seconds) > most) {
      return wrong('expires_after[seconds]', `must be a whole number from ${least} to ${most}`);
    }
    return Math.min(Number(seconds) * 1_000, keepMs);
  }

  /** Resolves to why the account may not store more, or to `null`. */
  private async fullness(accountId: string, moreBytes: number): Promise<Failure | null> {
    const { maxFiles, maxBytes } = this.ports.settings;
    const stored = await this.ports.files.amountOf(accountId);
    const isFull = stored.files >= maxFiles || stored.bytes + moreBytes > maxBytes;
    return isFull ? quotaFailure(stored, this.ports.settings) : null;
  }
}

/** Returns the failure for a file that does not fit into the account's quota. */
export function quotaFailure({ files, bytes }: StoredAmount, { maxFiles, maxBytes }: FileSettings): Failure {
  return new Failure('conflict', {
    message:
      files < maxFiles
        ? `The account's files have ${bytes} bytes; with this one they would exceed its limit of ${maxBytes}.`
        : `The account has ${files} files, and may have ${maxFiles}.`,
    kind: 'file_quota',
    hint: 'Delete files that are no longer needed (`DELETE /v1/files/{id}`).',
  });
}

interface WantedFile {
  readonly file: UploadedFile;
  readonly keepMs: number;
}

/** Returns a file in OpenAI's shape. */
export function fileView({ id, bytes, createdAtMs, expiresAtMs, name, purpose }: StoredFile) {
  return {
    id,
    object: 'file' as const,
    bytes,
    created_at: Math.floor(createdAtMs / 1_000),
    ...(expiresAtMs !== null && { expires_at: Math.floor(expiresAtMs / 1_000) }),
    filename: name,
    purpose,
    status: 'processed' as const,
    status_details: null,
  };
}

function listView(files: readonly StoredFile[], hasMore: boolean): string {
  return JSON.stringify({
    object: 'list',
    data: files.map(fileView),
    first_id: files[0]?.id ?? null,
    last_id: files.at(-1)?.id ?? null,
    has_more: hasMore,
  });
}

function rulesOf({ maxFileBytes }: FileSettings): FormRules {
  return { files: { file: { maxBytes: maxFileBytes, maxCount: 1 } }, lists: [], texts: TEXTS };
}

function isOver({ expiresAtMs }: StoredFile, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

function noSuchPath({ method, tail }: RelayedCall): Failure {
  return new Failure('object_not_found', {
    message: `The gateway has no \`${method} /v1/files${tail.slice(0, 100)}\`.`,
    kind: 'no_such_path',
    hint: 'It has `POST` and `GET /v1/files`, `GET` and `DELETE /v1/files/{id}`, and `GET /v1/files/{id}/content`.',
  });
}

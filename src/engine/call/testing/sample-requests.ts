import { Failure } from '../../../domain/failure/failure.ts';
import type { UploadedForm } from '../../../domain/media/uploaded-file.ts';
import { clientFormats } from '../../../formats/index.ts';
import type { InboundCall, ParsedRequest } from '../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import type { ConnectionMemory } from '../../operations/text/connection-memory.ts';
import type { TextInbound } from '../../operations/text/inbound.ts';
import type { FormInbound } from '../operation.ts';
import { MODEL } from './sample-routes.ts';

const utf8 = new TextEncoder();

export const GENERATE: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };

export type Body = Readonly<Record<string, unknown>>;

export function formatOf(name: string): ClientFormat {
  const format = clientFormats.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  return format;
}

/** Makes the smallest request of a format, with these members added. */
export function sampleBody(format: string, fields: Body = {}): Body {
  if (format === 'openai-responses') return { model: MODEL, input: 'Say hello.', ...fields };
  const most = format === 'anthropic-messages' ? { max_tokens: 9 } : {};
  return { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }], ...most, ...fields };
}

export function parsed(format: string, fields: Body = {}, call = GENERATE): ParsedRequest {
  const request = formatOf(format).parseRequest(utf8.encode(JSON.stringify(sampleBody(format, fields))), call);
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

interface Client {
  readonly format?: string;
  readonly call?: InboundCall;
  readonly secret?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly connection?: ConnectionMemory;
  /** Sent in place of the body. */
  readonly bytes?: Uint8Array | Failure;
  readonly form?: UploadedForm | Failure;
  readonly steps?: string[];
}

/** Makes a request as a transport passes it on. */
export function inbound(fields: Body = {}, client: Client = {}): TextInbound & FormInbound {
  const { format = 'openai-chat', call = GENERATE, secret = 'sk-test', headers = {}, steps } = client;
  const spoken = formatOf(format);
  const bytes = client.bytes ?? utf8.encode(JSON.stringify(sampleBody(format, fields)));
  return {
    format: spoken,
    envelope: spoken,
    call,
    secret,
    ...(client.connection === undefined ? {} : { connection: client.connection }),
    signal: client.signal ?? new AbortController().signal,
    header: (name) => headers[name] ?? null,
    address: () => '192.0.2.1',
    origin: () => 'https://gateway.example',
    readBody: async () => {
      steps?.push('read body');
      return bytes;
    },
    readForm: async () => {
      steps?.push('read form');
      if (client.form === undefined) throw new Error('a form is read, and none was given');
      return client.form;
    },
  };
}

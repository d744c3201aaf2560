import { Failure } from '../../domain/failure/failure.ts';
import type { RequestLine } from '../../domain/http/request-line.ts';
import type { Caller } from '../../engine/access/caller.ts';
import type { TextInbound } from '../../engine/operations/text/inbound.ts';
import { withModel } from '../../formats/shared/request/named-model.ts';
import type { Endpoint, InboundCall } from '../../formats/text/client-request.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { askingForCost } from '../../formats/text/shared/usage-cost.ts';
import { readBody } from './body.ts';
import type { BodyLease } from './body-budget.ts';
import { type PublicOriginOptions, publicOrigin } from './public-origin.ts';
import { type ClientRequest, type Connections, requestLine, secretOf } from './route.ts';
import type { Uploads } from './uploads.ts';

export interface HttpTextOptions extends PublicOriginOptions {
  readonly maxBodyBytes: number;
  readonly uploads: Uploads;
  readonly endpoint: Pick<Endpoint, 'path'>;
}

/** A request at a text endpoint. It is a class because an accessor in an object literal costs 1 µs per request. */
export class HttpTextInbound implements TextInbound {
  readonly secret: Caller['secret'];
  /** Whether the body came too slowly, so that the rest of it is not read. */
  wasCutOff = false;

  constructor(
    private readonly request: ClientRequest,
    private readonly connections: Connections,
    readonly format: ClientFormat,
    readonly call: InboundCall,
    private readonly lease: BodyLease,
    private readonly options: HttpTextOptions,
  ) {
    this.secret = secretOf(format, request);
  }

  get envelope(): ClientFormat {
    return this.format;
  }

  /** Lazy, because creating the signal costs as much as reading the whole body. */
  get signal(): AbortSignal {
    return this.request.signal;
  }

  address(): string | null {
    return this.options.addresses.of(this.request, this.connections);
  }

  line(): RequestLine {
    return requestLine(this.request, this.options.endpoint.path);
  }

  origin(): string {
    return publicOrigin(this.request, this.connections, this.options);
  }

  header(name: string): string | null {
    return this.request.headers.get(name);
  }

  async readBody(accountId: string): Promise<Uint8Array | Failure> {
    const { request, lease, options } = this;
    lease.belongTo(accountId);
    // Bun's own timer requires 16 KiB a second. `Uploads` bounds the body, and the upstream's timeouts what follows it.
    this.connections.timeout(request, 0);
    const upload = options.uploads.begin(accountId);
    try {
      const body = await readBody(request, { limitBytes: options.maxBodyBytes, lease, upload });
      const { modelInPath, isOpenRouters } = request;
      if (body instanceof Failure) return body;
      if (modelInPath !== undefined) return await withModel(body, modelInPath);
      const isAsked = isOpenRouters === true && this.format.wantsUsageCost !== undefined;
      return isAsked ? await askingForCost(body) : body;
    } finally {
      options.uploads.over(upload);
      this.wasCutOff = upload.failure !== null;
    }
  }
}

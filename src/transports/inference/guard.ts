import { Failure } from '../../domain/failure/failure.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { failureResponse, formatOfPath } from './failure-response.ts';
import { shapeOf, shapeOfHeaders } from './model-shape.ts';
import type { ClientRequest, ServerHandler } from './route.ts';
import { endpointPath } from './tolerant-paths.ts';

export interface GuardOptions {
  readonly newRequestId: () => string;
  readonly logger: Logger;
}

/** A name or an address, and a port (RFC 3986, 3.2.2, without characters that no host name has). Two headers arrive joined by a comma. */
const HOST = /^(?:(?:[\w.~-]|%[\da-f]{2})+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Wraps every route: refuses an invalid `Host`, and turns an exception into an error in the client's format. Neither the log nor the answer
 * repeats what the client has sent, which may contain a key.
 */
export class Guard {
  /** The latest valid host: nearly all requests have the same one. */
  private knownHost = '';

  constructor(private readonly options: GuardOptions) {}

  around(handler: ServerHandler): ServerHandler {
    return (request, timer) => {
      if (!this.isHost(request.headers.get('host'))) return this.wrongHost(request);
      try {
        const answer = handler(request, timer);
        return answer instanceof Promise
          ? answer.catch((error: unknown) => this.internalError(error, request))
          : answer;
      } catch (error) {
        return this.internalError(error, request);
      }
    };
  }

  /** Answers errors outside of any route, where nothing is known about the request. */
  readonly lastResort = (error: unknown): Response => this.internalError(error, null);

  private isHost(host: string | null): boolean {
    // HTTP/1.0 has no `Host`; Bun itself refuses a request of HTTP/1.1 without one.
    if (host === this.knownHost || host === null || host === '') return true;
    if (host.length > 255 || !HOST.test(host)) return false;
    this.knownHost = host;
    return true;
  }

  private wrongHost(request: ClientRequest): Response {
    const message = 'The request must have exactly one `Host` header, with a host and an optional port.';
    const failure = new Failure('invalid_value', { message, param: 'Host' });
    return failureResponse(formatFor(request), failure, this.options.newRequestId());
  }

  private internalError(error: unknown, request: Request | null): Response {
    const requestId = this.options.newRequestId();
    this.options.logger.error({ requestId, ...describeError(error) }, 'internal error');
    const message = `Something went wrong inside the gateway. Report it with the request id ${requestId}.`;
    const format = request === null ? openaiChat : formatFor(request);
    return failureResponse(format, new Failure('internal_error', { message }), requestId);
  }
}

/** Returns the format in which a client expects an error, by the request's path, else by its headers. */
export function formatFor(request: ClientRequest): ClientFormat {
  const { path } = requestTarget(request.url);
  const meant = endpointPath(path) ?? path;
  if (meant === '/v1/models' || meant.startsWith('/v1/models/')) return shapeOf(request);
  return formatOfPath(meant) ?? shapeOfHeaders(request.headers) ?? openaiChat;
}

import { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest, StreamRelay } from '../../../formats/format.ts';
import { CACHE_HEADER, headerControl } from '../../cache/read-control.ts';
import type { SentRequest } from '../../cache/replays.ts';
import type { Asking, OpenCall } from '../../call/operation.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextInbound } from './inbound.ts';
import { tooLargeFile } from './inline-files.ts';
import { parsedBody } from './parsed-body.ts';
import { headerProblem } from './relayed-headers.ts';
import { fingerprint, ReplayedRequest, replayOf } from './replayed-request.ts';
import type { TextJob, TextJobInput } from './text-job.ts';
import { TextRequest } from './text-request.ts';
import type { TextServices } from './text-services.ts';

type JobOf = (input: TextJobInput) => TextJob;

/** Reads a text request. `jobOf` decides what is done with it. */
export function readText(
  services: TextServices,
  inbound: TextInbound,
  call: OpenCall,
  jobOf: JobOf,
): Promise<Asking<TextTarget, StreamRelay> | Failure> {
  const accountId = call.principal.account.id;
  let print: SentRequest | null = null;
  const look = (bytes: Uint8Array): ReplayedRequest | null => {
    print = fingerprint(services, inbound, accountId, bytes);
    const replay = print === null ? null : replayOf(services, call, print);
    if (replay === null) return null;
    call.outcome.asks({ stream: replay.stream });
    return new ReplayedRequest(services, inbound, call, replay);
  };
  const read = (parsed: ParsedRequest): TextRequest | Failure => {
    call.outcome.asks({ stream: parsed.stream });
    const { metadata } = parsed.body;
    if (typeof metadata === 'object' && metadata !== null) call.outcome.labelledBy(metadata);
    const problem = headerProblem(inbound.format, inbound) ?? tooLargeFile(inbound.format, parsed);
    if (problem !== null) return problem;
    const cacheControl = inbound.format.cacheControl?.(parsed) ?? headerControl(inbound.header(CACHE_HEADER));
    if (cacheControl instanceof Failure) return cacheControl;
    return new TextRequest(services, inbound, call, { parsed, cacheControl, print, jobOf });
  };
  return parsedBody(inbound, accountId, { look, read });
}

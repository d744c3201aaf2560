import { Failure } from '../../../domain/failure/failure.ts';
import type { OpenCall } from '../../call/operation.ts';
import type { TextInbound } from './inbound.ts';
import { parsedBody } from './parsed-body.ts';
import { headerProblem } from './relayed-headers.ts';
import type { TextJob, TextJobInput } from './text-job.ts';
import { TextRequest } from './text-request.ts';
import type { TextServices } from './text-services.ts';

/** Reads a request for a text, or about one. `jobOf` says what will be done with it. */
export function readText(
  services: TextServices,
  inbound: TextInbound,
  call: OpenCall,
  jobOf: (input: TextJobInput) => TextJob,
): Promise<TextRequest | Failure> {
  return parsedBody(inbound, call.principal.account.id).then((parsed) => {
    if (parsed instanceof Failure) return parsed;
    call.outcome.asks({ stream: parsed.stream });
    return headerProblem(inbound.format, inbound) ?? new TextRequest(services, inbound, call, parsed, jobOf);
  });
}

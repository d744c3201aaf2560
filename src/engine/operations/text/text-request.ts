import { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest, StreamRelay } from '../../../formats/format.ts';
import type { Asking, OpenCall } from '../../call/operation.ts';
import type { Directory } from '../../directory/directory.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextInbound } from './inbound.ts';
import { parsedBody } from './parsed-body.ts';
import { pastOf } from './past.ts';
import { headerProblem } from './relay-lane.ts';
import { routesFor } from './routes.ts';
import type { TextJob, TextJobInput } from './text-job.ts';
import type { TextServices } from './text-services.ts';
import { Turn } from './turn.ts';

/** A request for a text, or about one, that was read. */
export class TextRequest implements Asking<TextTarget, StreamRelay> {
  private constructor(
    private readonly services: TextServices,
    private readonly inbound: TextInbound,
    private readonly call: OpenCall,
    private readonly parsed: ParsedRequest,
    /** What is to be done with it. */
    private readonly jobOf: (input: TextJobInput) => TextJob,
  ) {}

  static async read(
    services: TextServices,
    inbound: TextInbound,
    call: OpenCall,
    jobOf: (input: TextJobInput) => TextJob,
  ): Promise<TextRequest | Failure> {
    const parsed = await parsedBody(inbound, call.principal.account.id);
    if (parsed instanceof Failure) return parsed;
    call.outcome.asks({ stream: parsed.stream });
    return headerProblem(inbound.format, inbound) ?? new TextRequest(services, inbound, call, parsed, jobOf);
  }

  async route(directory: Directory): Promise<TextJob | Failure> {
    const { services, inbound, call, parsed } = this;
    const { principal, outcome } = call;
    const { format, connection } = inbound;
    const accountId = principal.account.id;
    const routes = routesFor(directory, principal, parsed.model, format.name);
    if (routes instanceof Failure) return routes;
    outcome.names(parsed.model);
    const { targets } = routes;
    const turnPorts = connection === undefined ? services.turnPorts : { ...services.turnPorts, connection };
    const opening = Turn.open(turnPorts, { format, client: inbound, principal, request: parsed, targets });
    const turn = opening instanceof Promise ? await opening : opening;
    if (turn instanceof Failure) return turn;
    const naming = services.objects.namedBy(accountId, routes, format.objects.named(turn.whole.body));
    const named = naming instanceof Promise ? await naming : naming;
    if (named instanceof Failure) return named;
    const { routes: ways } = named;
    const past = pastOf(accountId, format, turn.whole, ways.targets.length > 1);
    const learning = services.memory.fetch(past);
    if (learning !== null) await learning;
    const { issuers, lastChannelId } = services.memory.channelsOf(past, services.ports.clock.nowMs());
    const affinity = turn.affinity(issuers, lastChannelId);
    // A long conversation is held once less where its bytes can be of no more use.
    if (!ways.targets.some(({ wire }) => wire.name === format.name)) turn.releaseBytes();
    const own = { services, inbound, outcome, principal, directory, parsed };
    return this.jobOf({ ...own, turn, named, ways, issuers, conversation: past.conversation, affinity });
  }
}

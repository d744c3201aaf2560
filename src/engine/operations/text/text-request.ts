import { Failure } from '../../../domain/failure/failure.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import type { ParsedRequest } from '../../../formats/text/client-request.ts';
import type { StreamRelay } from '../../../formats/text/format.ts';
import type { Asking, OpenCall } from '../../call/operation.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import type { NamedObjects } from '../../directory/object-memory.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextInbound } from './inbound.ts';
import { type Past, pastOf } from './past.ts';
import { PreparedGeneration } from './prepared/prepared-generation.ts';
import { PreparedRequest } from './prepared/prepared-request.ts';
import type { PreparedText } from './prepared/prepared-texts.ts';
import type { TextPreparing } from './prepared/text-preparing.ts';
import { routesFor } from './routes.ts';
import { TextFacts } from './text-facts.ts';
import type { TextJob, TextJobInput } from './text-job.ts';
import type { TextServices } from './text-services.ts';
import { toolsBeyondStated } from './tool-ability.ts';
import { Turn } from './turn.ts';

type MaybeJob = TextJob | Failure | Promise<TextJob | Failure>;

interface AskedText extends Pick<TextJobInput, 'cacheControl' | 'print'> {
  readonly parsed: ParsedRequest;
  /** Makes the job for the purpose of the request. */
  readonly jobOf: (input: TextJobInput) => TextJob;
  /** Set if the client has not named the model itself. */
  readonly grant?: ModelGrant | null;
  /** The fallback models that the body names; `null` for none. */
  readonly fallbacks: readonly string[] | null;
  /** Observes the request, to prepare those that follow; `null` or absent if none is to be prepared. */
  readonly preparing?: TextPreparing | null;
  /** Set if an earlier request has shown what becomes of this one; its `parsed` is a `PreparedRequest` then. */
  readonly prepared?: PreparedText | null;
}

/** A parsed text request. */
export class TextRequest implements Asking<TextTarget, StreamRelay> {
  constructor(
    private readonly services: TextServices,
    private readonly inbound: TextInbound,
    private readonly call: OpenCall,
    private readonly asked: AskedText,
  ) {}

  get modelId(): string {
    return this.asked.parsed.model;
  }

  get fallbacks(): readonly string[] | null {
    return this.asked.fallbacks;
  }

  /** The new request has no `print`: an equal body may lead to another model later. */
  withModel(model: string, grant: ModelGrant | null): TextRequest {
    const { services, inbound, call, asked } = this;
    const whole = asked.parsed instanceof PreparedRequest ? asked.parsed.whole() : asked.parsed;
    const parsed = { ...whole, model };
    const general = { preparing: null, prepared: null };
    return new TextRequest(services, inbound, call, { ...asked, ...general, parsed, grant, print: null });
  }

  facts(): TextFacts {
    const { services, inbound, call, asked } = this;
    const past = { store: services.ports.responses, connection: inbound.connection };
    return new TextFacts(inbound.format, inbound, asked.parsed, { ...past, accountId: call.principal.account.id });
  }

  // Most requests have nothing to wait for here, so only promises are awaited: each turn of the microtask queue costs time.
  route(directory: Directory): MaybeJob {
    const { services, inbound, call } = this;
    const { parsed, grant, prepared = null } = this.asked;
    if (prepared !== null && prepared.directory === directory) return this.preparedJob(prepared);
    const { principal, outcome } = call;
    const { format, connection } = inbound;
    const ways = routesFor(directory, principal, parsed.model, format.name, grant);
    if (ways instanceof Failure) return ways;
    outcome.names(parsed.model);
    const lacking = toolsBeyondStated(ways.model, parsed.body);
    if (lacking !== null) return lacking;
    const { targets } = ways;
    const turnPorts = connection === undefined ? services.turnPorts : { ...services.turnPorts, connection };
    const opening = Turn.open(turnPorts, { format, client: inbound, principal, request: parsed, targets });
    return opening instanceof Promise
      ? this.openedLater(directory, ways, opening)
      : this.opened(directory, ways, opening);
  }

  /** Does what the other steps would do for a request that needs none of them. */
  private preparedJob(prepared: PreparedText): TextJob {
    const { services, inbound, call } = this;
    const { parsed } = this.asked;
    const { principal } = call;
    call.outcome.names(parsed.model);
    const turn = Turn.alone(services.turnPorts, inbound.format, principal, parsed);
    const { directory, named } = prepared;
    const input = this.inputOf(directory, turn, named, { issuers: [], conversation: null, affinity: null });
    return new PreparedGeneration(input, prepared);
  }

  private async openedLater(directory: Directory, ways: Ways<TextTarget>, opening: Promise<Turn | Failure>) {
    return await this.opened(directory, ways, await opening);
  }

  private opened(directory: Directory, ways: Ways<TextTarget>, turn: Turn | Failure): MaybeJob {
    if (turn instanceof Failure) return turn;
    const { services, inbound, call } = this;
    const naming = inbound.format.objects.named(turn.whole.body);
    const named = services.objects.namedBy(call.principal.account.id, ways, naming);
    return named instanceof Promise
      ? this.permittedLater(directory, turn, named)
      : this.permitted(directory, turn, named);
  }

  private async permittedLater(directory: Directory, turn: Turn, naming: Promise<NamedObjects | Failure>) {
    return await this.permitted(directory, turn, await naming);
  }

  private permitted(directory: Directory, turn: Turn, named: NamedObjects | Failure): MaybeJob {
    if (named instanceof Failure) return named;
    const { services, inbound, call } = this;
    const { format } = inbound;
    const { targets } = named.routes;
    const asked = { accountId: call.principal.account.id, format, request: turn.whole, client: inbound };
    const past = pastOf(asked, targets.length > 1);
    const learning = services.memory.fetch(past);
    return learning === null
      ? this.job(directory, turn, named, past)
      : this.jobLater(directory, turn, named, past, learning);
  }

  private async jobLater(
    directory: Directory,
    turn: Turn,
    named: NamedObjects,
    past: Past,
    learning: Promise<unknown>,
  ): Promise<TextJob> {
    await learning;
    return this.job(directory, turn, named, past);
  }

  private job(directory: Directory, turn: Turn, named: NamedObjects, past: Past): TextJob {
    const { services } = this;
    const { issuers, lastPlace } = services.memory.channelsOf(past, services.ports.clock.nowMs());
    const affinity = turn.affinity(issuers, lastPlace);
    const { conversation } = past;
    return this.asked.jobOf(this.inputOf(directory, turn, named, { issuers, conversation, affinity }));
  }

  private inputOf(
    directory: Directory,
    turn: Turn,
    named: NamedObjects,
    preferring: Pick<TextJobInput, 'issuers' | 'conversation' | 'affinity'>,
  ): TextJobInput {
    const { services, inbound, call } = this;
    const { principal, outcome } = call;
    const { cacheControl, print, preparing = null } = this.asked;
    const { issuers, conversation, affinity } = preferring;
    return {
      services,
      inbound,
      outcome,
      principal,
      directory,
      turn,
      named,
      ways: named.routes,
      issuers,
      conversation,
      affinity,
      cacheControl,
      print,
      preparing,
    };
  }
}

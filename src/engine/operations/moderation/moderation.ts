import type { Principal } from '../../../domain/access/principal.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import { publicContractSummaryOf } from '../../../domain/catalog/public-contract.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { promptTokensOf } from '../../../domain/money/quantity.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import {
  type ParsedModeration,
  parseRequest,
  relayRequest,
} from '../../../formats/moderation/openai-moderations/request.ts';
import { billableModeration, relayAnswer } from '../../../formats/moderation/openai-moderations/response.ts';
import { statedModel } from '../../../formats/shared/request/stated-model.ts';
import type { Lane } from '../../call/lane.ts';
import type { Asking, Inbound, Job, OpenCall, Operation } from '../../call/operation.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import { ifUsable } from '../../directory/find-model.ts';
import type { Target } from '../../directory/target.ts';
import type { RequestBounds } from '../../ports/billing.ts';
import { defaultModel } from '../default-model.ts';
import { PlainFacts } from '../plain-facts.ts';

/** OpenAI's default (its published document, `CreateModerationRequest`). */
const USUAL_MODEL = 'omni-moderation-latest';

/** Handles `POST /v1/moderations` in OpenAI's shape. The request is relayed to a channel whose provider has this endpoint. */
export class ModerationOperation implements Operation {
  async read(inbound: Inbound, { principal, outcome }: OpenCall): Promise<Asking | Failure> {
    const bytes = await inbound.readBody(principal.account.id);
    if (bytes instanceof Failure) return bytes;
    const parsed = parseRequest(new Uint8Array(bytes));
    outcome.wants(parsed instanceof Failure ? statedModel(bytes) : parsed.model);
    if (parsed instanceof Failure) return parsed;
    return asking({ principal, outcome }, parsed, parsed.model, null);
  }
}

function asking(call: OpenCall, parsed: ParsedModeration, model: string | null, grant: ModelGrant | null): Asking {
  const { principal, outcome } = call;
  return {
    modelId: model,
    withModel: (other, granted) => asking(call, parsed, other, granted),
    facts: () => new PlainFacts({}),
    route: (directory) => {
      const modelId =
        model ?? defaultModel(directory, principal, 'moderations', [{ preferred: [USUAL_MODEL] }]) ?? USUAL_MODEL;
      const ways = waysTo(directory, principal, modelId, grant);
      if (ways instanceof Failure) return ways;
      outcome.names(modelId);
      return new Moderation(parsed, modelId, ways);
    },
  };
}

class Moderation implements Job {
  readonly stream = false;

  constructor(
    private readonly parsed: ParsedModeration,
    readonly modelId: string,
    readonly ways: Ways<Target>,
  ) {}

  /** Assumes one token per byte of the text. A moderation result has no output tokens. */
  bounds(): RequestBounds {
    const most = this.parsed.bytes.length;
    const size = { inputTokens: most, outputTokens: 0 };
    return {
      certain: () => size,
      counted: async () => size,
      isPlausible: (billable) => promptTokensOf(billable) <= most,
      plausible: () => size,
    };
  }

  lane({ upstreamModel }: Target, routing: RoutingFacts): Lane {
    const { parsed, modelId: publicModel } = this;
    return {
      isRelayed: true,
      request: () => ({ body: relayRequest(parsed, upstreamModel), headers: null, losses: [], extras: null }),
      answer: (bytes) => {
        const body = relayAnswer(bytes, { publicModel, routing });
        if (body === null) {
          return new Failure('upstream_error', {
            kind: 'garbage',
            message: 'The upstream did not return a moderation.',
          });
        }
        return { body, billable: billableModeration(bytes, parsed.bytes), served: { model: null, serviceTier: null } };
      },
    };
  }
}

const serves = ({ operations }: Model) => operations.includes('moderations');

function waysTo(
  directory: Directory,
  principal: Principal,
  modelId: string,
  grant: ModelGrant | null,
): Ways<Target> | Failure {
  const found = directory.waysFor('moderations', modelId, principal.account.id, grant !== null);
  const ways = ifUsable(found, { directory, principal, modelId, serves, grant });
  if (ways instanceof Failure || (serves(ways.model) && ways.targets.length > 0)) return ways;
  const { request_endpoint: endpoint } = publicContractSummaryOf(ways.model.operations);
  const isServed = serves(ways.model);
  return new Failure('model_not_found', {
    status: 400,
    message: `The model \`${modelId}\` is not available at this endpoint${isServed ? ': none of its channels supports moderations' : ''}.`,
    kind: 'wrong_endpoint',
    param: 'model',
    hint: isServed
      ? 'Use a model of a provider that supports moderations (OpenAI, Mistral).'
      : `Send it to POST ${endpoint}, or use a model whose operations include \`moderations\`.`,
  });
}

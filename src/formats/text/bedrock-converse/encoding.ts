import type { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { EncodeTarget } from '../format.ts';
import { adaptSchema } from '../shared/adapted-schema.ts';
import type { ModelProfile } from '../shared/claude-profile.ts';
import { withPlainReferences } from '../shared/schema-references.ts';
import type { ModelDialect } from './schema.ts';

/** `inferenceConfig` while it is being built. Members that are `undefined` are not sent. */
interface InferenceConfig {
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  stopSequences?: readonly string[];
}

export interface Encoding {
  readonly request: ExchangeRequest;
  readonly target: EncodeTarget;
  readonly losses: Losses;
  readonly dialect: ModelDialect;
  /** The model's profile if it is a Claude model. */
  readonly claude: ModelProfile | null;
  readonly inference: InferenceConfig;
  /** The contents of `additionalModelRequestFields`. */
  readonly additional: Record<string, unknown>;
}

export type Block = Readonly<Record<string, unknown>>;

/**
 * Returns a schema as required by the Bedrock user guide, "Get validated JSON results from models": closed objects, no limits,
 * and nothing beside a reference.
 */
export function closedSchema(schema: Readonly<Record<string, unknown>>, field: string, losses: Losses) {
  const plain = withPlainReferences(schema);
  const adapted = adaptSchema(plain.schema);
  if (adapted.changed || plain.lost.length > 0) {
    const why =
      'Bedrock schemas allow no extra properties and no limits on numbers or lengths, so limits go in the description';
    losses.note({ field, verdict: 'approximated', why });
  }
  return adapted.schema;
}

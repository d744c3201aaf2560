import type { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { EncodeTarget } from '../../format.ts';
import type { ModelProfile } from '../shared/claude-profile.ts';
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

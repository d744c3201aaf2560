import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

/** The one model of its own that the Agent API has; `sonar` and its kin were those of the chat completions that ended. */
export const models: readonly ProviderModel[] = [...modelsOf('chat', ['perplexity/sonar'])];

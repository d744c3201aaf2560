import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

/** Also answers with `reasoning_content` before the text. */
export const REASONING_MODEL = 'sandbox-reasoning';

export const models: readonly ProviderModel[] = [...modelsOf('chat', ['sandbox-chat', REASONING_MODEL])];

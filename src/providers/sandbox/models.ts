import { catalogueOf } from '../shared/catalogue.ts';
import yaml from './models.yaml' with { type: 'text' };

/** Also answers with `reasoning_content` before the text. */
export const REASONING_MODEL = 'sandbox-reasoning';

export const models = catalogueOf('sandbox', yaml);

import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

/** Thinks before it answers without being asked to. */
export const REASONING_MODEL = 'sandbox-reasoning';

export const models = catalogOf('sandbox', yaml);

import type { Parameter } from './model-operation.ts';

/* Fields with the same meaning at most endpoints. */

export const MODEL: Parameter = {
  type: 'string',
  required: true,
  description: 'A model id from GET /v1/models.',
};

export const USER: Parameter = { type: 'string', description: 'Identifies your end user.' };

export const TEMPERATURE_DESCRIPTION = 'Higher values make the output more random.';

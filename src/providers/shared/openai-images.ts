import type { OwnMembers } from '../../formats/wire.ts';
import type { ProviderWire } from '../manifest.ts';

/** Generating and editing images as OpenAI defines it (its published document, `/images/generations` and `/images/edits`). */
export const OPENAI_IMAGES: ProviderWire = { wire: 'openai-images', path: '/images/generations' };
export const OPENAI_IMAGE_EDITS: ProviderWire = { wire: 'openai-image-edits', path: '/images/edits' };

/** OpenAI refuses unknown members. The members of a deployment or a new model cannot be inferred from its name. */
export const KNOWN_TO_OPENAI: OwnMembers = { response_format: null, negative_prompt: null, seed: null };

import type { Quirk } from '../../formats/quirk.ts';
import { OPEN_MODEL_HOST } from '../shared/quirks.ts';

/** The router hands a request to one of many hosts, so that only what all of them have is sure to arrive. */
export const chatQuirks: readonly Quirk[] = [...OPEN_MODEL_HOST];

import type { Quirk } from '../../formats/text/quirk.ts';
import { OPEN_MODEL_HOST } from '../shared/quirks.ts';

/** The router passes a request to one of many hosts, so only features that all of them have are safe to use. */
export const chatQuirks: readonly Quirk[] = [...OPEN_MODEL_HOST];

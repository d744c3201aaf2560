import type { Quirk } from '../../formats/text/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import { families } from './families.ts';

export const chatQuirks: readonly Quirk[] = quirksOfFamilies(families, 'cohere-chat');

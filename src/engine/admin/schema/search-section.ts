import { z } from 'zod';
import { integer, MAP } from '../../../providers/shared/file-fields.ts';
import { DEFAULT_SEARCH, type SearchSettings } from '../../settings/settings.ts';
import { modelId } from './fields.ts';

export const searchSchema = z.strictObject(
  {
    model: modelId.nullish(),
    max_rounds: integer('must be a whole number from 2 to 20', 2, 20).nullish(),
    max_searches: integer('must be a whole number from 1 to 50', 1, 50).nullish(),
    results: integer('must be a whole number from 1 to 20', 1, 20).nullish(),
  },
  MAP,
);

export function searchFrom(section: z.output<typeof searchSchema>): SearchSettings {
  return {
    model: section.model ?? DEFAULT_SEARCH.model,
    maxRounds: section.max_rounds ?? DEFAULT_SEARCH.maxRounds,
    maxSearches: section.max_searches ?? DEFAULT_SEARCH.maxSearches,
    results: section.results ?? DEFAULT_SEARCH.results,
  };
}

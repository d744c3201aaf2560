import { strictBed } from '../../conformance/strict/bed.ts';
import { describeGeminiModels, UPSTREAMS } from '../../conformance/strict/gemini/models.ts';

/* Every model family of Gemini, at Google and at Vertex AI. */

describeGeminiModels(
  strictBed(UPSTREAMS),
  UPSTREAMS.flatMap(({ name, models }) => models.map((id) => `${name}/${id}`)),
);

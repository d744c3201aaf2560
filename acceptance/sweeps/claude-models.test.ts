import { claudeBed, describeClaudeModels, UPSTREAMS } from '../../conformance/strict/claude/models.ts';

/* Every model family of Claude, at Anthropic and at the clouds. */

describeClaudeModels(
  claudeBed(),
  UPSTREAMS.flatMap(({ name, models }) => models.map((id) => `${name}/${id}`)),
);

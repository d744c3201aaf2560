import billing from '../../docs/guides/billing.md' with { type: 'text' };
import caching from '../../docs/guides/caching.md' with { type: 'text' };
import errors from '../../docs/guides/errors.md' with { type: 'text' };
import firstRequest from '../../docs/guides/first-request.md' with { type: 'text' };
import limits from '../../docs/guides/limits.md' with { type: 'text' };
import management from '../../docs/guides/management.md' with { type: 'text' };
import media from '../../docs/guides/media.md' with { type: 'text' };
import streaming from '../../docs/guides/streaming.md' with { type: 'text' };
import tasks from '../../docs/guides/tasks.md' with { type: 'text' };
import tools from '../../docs/guides/tools.md' with { type: 'text' };
import type { Guide } from '../transports/reference/reference.ts';

/** In the recommended reading order. The single executable embeds the texts. */
export const GUIDES: readonly Guide[] = [
  { name: 'first-request', markdown: firstRequest },
  { name: 'streaming', markdown: streaming },
  { name: 'tools', markdown: tools },
  { name: 'media', markdown: media },
  { name: 'tasks', markdown: tasks },
  { name: 'caching', markdown: caching },
  { name: 'errors', markdown: errors },
  { name: 'limits', markdown: limits },
  { name: 'billing', markdown: billing },
  { name: 'management', markdown: management },
];

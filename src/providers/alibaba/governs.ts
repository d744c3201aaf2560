import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

const FILE = /^\s*fileid:\/\//i;

/** Model Studio's members in all of its formats. */
export const alibabaGoverns: readonly GovernedMember[] = [
  ...governs(
    { kind: 'unpriced' },
    'Model Studio, "Web search" and "Built-in tools": calls are billed in addition to their tokens.',
    'enable_search',
    'search_options',
    'enable_code_interpreter',
    ['tools[].type', /^(?:web_|code_interpreter|image_search|t2i_search|i2i_search|file_search|mcp)/],
  ),
  ...governs(
    { kind: 'owners-own' },
    'Model Studio, "Long context (Qwen-Long)": `fileid://` inserts a file of the account that owns the key.',
    ['messages[].content', FILE],
    ['messages[].content[].text', FILE],
    ['system', FILE],
    ['system[].text', FILE],
    ['instructions', FILE],
    ['input[].content', FILE],
    ['input[].content[].text', FILE],
  ),
];

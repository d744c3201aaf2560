/**
 * Recordings (by file) that may differ through the gateway, each with a reason that is acceptable to users.
 */
export const knownDifferences: Readonly<Record<string, string>> = {
  'openai/chat/text-stream-no-usage.json':
    'the upstream reports no usage although the client requests it; the gateway returns its own count',
};

import { FORMATS, type Format, judgeRequest } from '../judges/index.ts';
import type { RequestJudge } from './scripted-server.ts';

/** Judges by the formats' published documents, which must be present (`documentsMissing`). */
export const judgeByDocuments: RequestJudge = (format, body) => {
  const documented = FORMATS.find((known): known is Format => known === format);
  return documented === undefined ? [] : judgeRequest(documented, body);
};

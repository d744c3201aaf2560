import { z } from 'zod';
import { STATUS_DOCUMENT } from '../../src/transports/shared/status-document.ts';

/** Returns docs/status.schema.json: the JSON Schema of `GET /status.json`. */
export function statusSchema(): string {
  const schema = z.toJSONSchema(STATUS_DOCUMENT, { io: 'output' });
  return `${JSON.stringify({ ...schema, title: 'State of a Switchyard gateway' }, null, 2)}\n`;
}

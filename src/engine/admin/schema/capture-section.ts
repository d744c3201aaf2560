import { z } from 'zod';
import { integer, MAP } from '../../../providers/shared/file-fields.ts';
import { type CaptureSettings, DEFAULT_CAPTURES } from '../../settings/capture-settings.ts';

const DAY_MS = 86_400_000;

export const capturesSchema = z.strictObject(
  { keep_days: integer('must be a whole number of days from 1 to 365', 1, 365).nullish() },
  MAP,
);

export function capturesFrom({ keep_days: days = null }: z.output<typeof capturesSchema>): CaptureSettings {
  return { keepMs: days === null ? DEFAULT_CAPTURES.keepMs : days * DAY_MS };
}

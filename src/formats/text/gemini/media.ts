import { GOOGLE_NAMES } from '../../shared/media/google-media-type.ts';
import { MediaFields } from '../../shared/media/media-fields.ts';

const PARTS = [
  'contents[].parts[]',
  'contents[].parts[].functionResponse.parts[]',
  'contents[].parts[].function_response.parts[]',
];

/** Google reads both spellings of every member. */
export const media = new MediaFields(
  PARTS.flatMap((part) =>
    ['inlineData', 'inline_data'].map((inline) => ({
      data: `${part}.${inline}.data`,
      labels: ['mimeType', 'mime_type'],
      names: GOOGLE_NAMES,
    })),
  ),
);

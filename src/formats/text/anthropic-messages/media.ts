import { MediaFields } from '../../shared/media/media-fields.ts';

/** A block of a message, of a tool's result, and of a document that is made of blocks. */
const BLOCKS = ['messages[].content[]', 'messages[].content[].content[]', 'messages[].content[].source.content[]'];

export const media = new MediaFields(BLOCKS.map((block) => ({ data: `${block}.source.data`, labels: ['media_type'] })));

/** The largest image file, in bytes (contract, Errors, rule 4). */
export const MOST_IMAGE_BYTES = 20 * 1024 * 1024;
/** The largest audio file, in bytes (contract, Errors, rule 4). */
export const MOST_AUDIO_BYTES = 25 * 1024 * 1024;

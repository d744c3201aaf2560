/** Matches ids of accounts, keys and channels: safe in a URL, a shell and a log line. */
export const IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const IDENTIFIER_RULE = 'must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit';

export const MAXIMUM_NAME_LENGTH = 200;

/** The largest amount of a limit or a grant: a billion USD, which fits 64 bits as nano-USD. */
export const MAXIMUM_NANO_USD = 1_000_000_000_000_000_000n;

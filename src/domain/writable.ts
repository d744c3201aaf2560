/** An object that is still being made: its members may be set one after the other. */
export type Writable<Of> = { -readonly [Key in keyof Of]: Of[Key] };

/** An object under construction, whose members may be set one after the other. */
export type Writable<Of> = { -readonly [Key in keyof Of]: Of[Key] };

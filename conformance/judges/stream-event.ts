/** One server-sent event: its type, if it has one, and its data as text. */
export interface StreamEvent {
  readonly event: string | null;
  readonly data: string;
}

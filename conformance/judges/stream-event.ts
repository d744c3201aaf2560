/** One server-sent event: its type where it names one, and its data as text. */
export interface StreamEvent {
  readonly event: string | null;
  readonly data: string;
}

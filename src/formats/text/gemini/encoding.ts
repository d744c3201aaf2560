import { type Loss, Losses } from '../../../domain/exchange/loss.ts';

/** An object of the wire while it is written. */
export type WireDraft = Record<string, unknown>;

/** Counts losses without listing them, because a long conversation checks each of its parts for losses. */
export class CountedLosses extends Losses {
  count = 0;

  override note(loss: Loss): void {
    this.count++;
    super.note(loss);
  }
}

declare const locked: unique symbol;

/** A patient whose row this transaction has locked. Nothing else writes its insurances or policies until the transaction ends. */
export interface LockedPatient {
  readonly [locked]: true;
  readonly id: number;
  readonly practice_id: number;
  readonly first_name: string;
  readonly last_name: string;
  /** `YYYY-MM-DD` */
  readonly dob: string;
  readonly version: number;
}

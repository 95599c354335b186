// The types of a resource's data, inferred from the fields that it declares.
import type { z } from "zod";
import type { Comparison } from "@/lib/platform/http/query";
import type { Column, Fields } from "./fields";

/** JSON values by field name: the data of a record whose declaration is not known. */
export type Data = Readonly<Record<string, unknown>>;

/** Zod schemas by name. */
export type Shape = Readonly<Record<string, z.ZodType>>;

export type NameOf<T> = keyof T & string;

type FilterField<N extends string> = N | "id" | "patient" | "practice";
/** A field or key that lists are filtered by, with its bound. */
export type FilterName<N extends string> = FilterField<N> | `${FilterField<N>}__${Exclude<Comparison, "eq">}`;

type ValueOf<F> = F extends { schema: z.ZodType<infer V> } ? V : never;

/** The names of fields that are part of the data. */
type DataName<F> = { [N in NameOf<F>]: F[N] extends { column: Column } ? never : N }[NameOf<F>];

/** The names of fields that clients write. */
type WritableName<F> = { [N in NameOf<F>]: F[N] extends { isWritable: true } ? N : never }[NameOf<F>];

/** The fields of a body, which are the record's unless it has a view. */
type BodyFields<F, V, N extends "create" | "update"> =
  V extends Readonly<Record<N, { fields: infer B extends Fields }>> ? B : F;

/** The type of a field in a body, if clients write it. */
type SentValue<B, N> = N extends WritableName<B> ? ValueOf<B[N & keyof B]> : never;

/** Joins intersections into one object type whose keys are optional if the value can be undefined. */
type Loose<T> = Flat<
  { [N in keyof T as undefined extends T[N] ? never : N]: T[N] } & {
    [N in keyof T as undefined extends T[N] ? N : never]?: T[N];
  }
>;
type Flat<T> = { [N in keyof T]: T[N] };

/** The body that clients send: fields of POST, PUT and PATCH. */
export type Sent<F, V> =
  string extends NameOf<F> ? Data : SentBy<BodyFields<F, V, "create">, BodyFields<F, V, "update">>;
type SentBy<C, U> = { [N in WritableName<C> | WritableName<U>]?: SentValue<C, N> | SentValue<U, N> };

/** The data of a stored record. */
export type Stored<F, V, X> =
  string extends NameOf<F> ? Data : Loose<Omit<FieldData<F, V>, keyof X> & { [N in keyof X]: z.output<X[N]> }>;

/** The data of a write before `beforeWrite`: values that are stored in another form than sent have either form. */
export type Merged<F, V, X> =
  string extends NameOf<F>
    ? Data
    : Loose<
        Omit<FieldData<F, V>, keyof X> & {
          [N in keyof X]: z.output<X[N]> | (N extends keyof FieldData<F, V> ? FieldData<F, V>[N] : undefined);
        }
      >;

type FieldData<F, V> = DataBy<F, BodyFields<F, V, "create">, BodyFields<F, V, "update">>;
/** The data of a record with the fields `F`, created by a body of `C` and updated by one of `U`. */
type DataBy<F, C, U> = {
  [N in DataName<F> | DataName<C> | DataName<U>]: CreatedValue<F, C, U, N> | Exclude<SentValue<U, N>, undefined>;
};

/** The value of a field in a new record: as POST accepts it, or else as the record declares it. */
type CreatedValue<F, C, U, N> =
  N extends WritableName<C>
    ? ValueOf<C[N & keyof C]>
    : N extends keyof F
      ? ValueOf<F[N]>
      : N extends keyof C
        ? ValueOf<C[N]>
        : ValueOf<U[N & keyof U]>;

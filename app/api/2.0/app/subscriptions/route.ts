// app/subscriptions: the same as subscriptions, under the contract's second path.
import * as subscriptions from "../../subscriptions/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = subscriptions;

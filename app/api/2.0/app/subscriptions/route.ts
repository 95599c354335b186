// app/subscriptions: the contract's second path for subscriptions.
import * as subscriptions from "../../subscriptions/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = subscriptions;

// app/subscriptions/{id}: the contract's second path for subscriptions/{id}.
import * as subscription from "../../../subscriptions/[id]/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = subscription;

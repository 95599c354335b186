-- CreateIndex
CREATE INDEX "published_event_practice_id_id_idx" ON "published_event"("practice_id", "id");

-- CreateIndex
CREATE INDEX "sync_event_practice_id_id_idx" ON "sync_event"("practice_id", "id");

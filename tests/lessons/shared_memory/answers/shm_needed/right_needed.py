shm_needed = needed

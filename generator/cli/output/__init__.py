"""What commands answer, as text and as JSON. Text out; printing is the command's business."""
